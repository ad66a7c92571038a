"""Mail that leaves by SMTP: its exact bytes, and the way out. The only place that speaks to aiosmtplib."""
