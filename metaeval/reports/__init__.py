"""Data first, then tables, figures and pages."""
