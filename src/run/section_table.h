/* Makes the rows and the list of sections of a .def file; see sections.h. RW_SECTION_TABLE_NAME names the list, which
 * is static unless RW_SECTION_STORAGE is defined empty. */
#ifndef RW_SECTION_STORAGE
#define RW_SECTION_STORAGE static
#endif
#define RW_SECTION_ROW(section, name_, kind_, required_, standard_, allowed_, unit_, line_, condition_)                \
    {.name = #name_,                                                                                                   \
     .kind = RW_PARAM_##kind_,                                                                                         \
     .offset = offsetof(RW_SECTION_PREFIX(section), name_),                                                            \
     .size = sizeof(((RW_SECTION_PREFIX(section) *)0)->name_),                                                         \
     .required = required_,                                                                                            \
     .standard = standard_,                                                                                            \
     .allowed = allowed_,                                                                                              \
     .unit = unit_,                                                                                                    \
     .line = line_,                                                                                                    \
     .condition = condition_},
#define SECTION(section, form, example, line) static const rw_param section##_rows[] = {
#define ROW(section, name, kind, standard, allowed, unit, line)                                                        \
    RW_SECTION_ROW(section, name, kind, false, standard, allowed, unit, line, NULL)
#define ROW_IF(section, name, kind, standard, allowed, unit, condition, line)                                          \
    RW_SECTION_ROW(section, name, kind, false, standard, allowed, unit, line, condition)
#define REQUIRED(section, name, kind, example, allowed, unit, line)                                                    \
    RW_SECTION_ROW(section, name, kind, true, example, allowed, unit, line, NULL)
#define END(section)                                                                                                   \
    }                                                                                                                  \
    ;
#define ROWS_OF(section, structure, params, line)
#define EACH_OF(section, structure, params, example, line)
#define FREE(section, form, example, line)
#include RW_SECTION_DEF
#undef SECTION
#undef ROW
#undef ROW_IF
#undef REQUIRED
#undef END
#undef ROWS_OF
#undef EACH_OF
#undef FREE

RW_SECTION_STORAGE const rw_section RW_SECTION_TABLE_NAME[] = {
#define SECTION(section, form, example, line)                                                                          \
    {#section,                                                                                                         \
     RW_SECTION_##form,                                                                                                \
     example,                                                                                                          \
     line,                                                                                                             \
     {.size = sizeof(RW_SECTION_PREFIX(section)), .row = section##_rows, .n = RW_COUNT(section##_rows)},               \
     NULL},
#define ROW(section, name, kind, standard, allowed, unit, line)
#define ROW_IF(section, name, kind, standard, allowed, unit, condition, line)
#define REQUIRED(section, name, kind, example, allowed, unit, line)
#define END(section)
#define ROWS_OF(section, structure, params, line) {#section, RW_SECTION_TABLE, "", line, {0}, params},
#define EACH_OF(section, structure, params, example, line) {#section, RW_SECTION_EACH, example, line, {0}, params},
#define FREE(section, form, example, line) {#section, RW_SECTION_##form, example, line, {0}, NULL},
#include RW_SECTION_DEF
#undef SECTION
#undef ROW
#undef ROW_IF
#undef REQUIRED
#undef END
#undef ROWS_OF
#undef EACH_OF
#undef FREE
};
#undef RW_SECTION_ROW
#undef RW_SECTION_STORAGE
#undef RW_SECTION_TABLE_NAME
#undef RW_SECTION_PREFIX
#undef RW_SECTION_DEF
