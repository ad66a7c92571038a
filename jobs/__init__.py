"""What acts when nothing arrives: one file per standing duty."""
