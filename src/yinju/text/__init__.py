"""What we know about Chinese and English: pure functions on strings, no model, nothing above this layer.

normalize   folding for the index and for comparisons
language    which language a text is in
sentences   where sentences begin and end
words       the terms of a passage and of a question, by one function
tokens      how many tokens a model would count, without the model
tables      rows and cells
similar     how alike two passages are
turns       who says what in a conversation
"""
