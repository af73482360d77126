"""Drawing: labelled frames and arrays in, matplotlib figures out; no result of the package is known here."""
