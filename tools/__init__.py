"""What reaches out: ports, the gate, and an adapter for each outside service."""
