"""From hits to an answer with proof: context, extract or generate, verify."""
