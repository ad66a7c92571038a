"""The adapter for every server that speaks the Messages API, by way of the anthropic SDK. Nothing else imports that.

Importing the SDK takes about a second, so only `wire` and `failures` import it, and the adapter loads them in a thread
when it is warmed or first asked.
"""
