/* Words that a user may search for and that are no setting, such as poisson. */
#ifndef RW_TOPICS_H
#define RW_TOPICS_H

/* What to do where a case names `word` as its problem; NULL: there is no advice. */
const char *rw_topic_problem(const char *word);
/* The paragraph about a word, the next one at each call (*next: 0 at first), and the settings whose help follows it,
 * "": none. NULL: there is no other. */
const char *rw_topic_text(const char *word, int *next, const char **settings);

#endif
