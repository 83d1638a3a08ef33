/* Makes the structure of every section of a .def file; see sections.h. No include guard: included once a .def. */
#define SECTION(section, form, example, line) typedef struct RW_SECTION_PREFIX(section) {
#define ROW(section, name, kind, standard, allowed, unit, line) RW_MEMBER_##kind(name)
#define ROW_IF(section, name, kind, standard, allowed, unit, condition, line) RW_MEMBER_##kind(name)
#define REQUIRED(section, name, kind, example, allowed, unit, line) RW_MEMBER_##kind(name)
#define END(section)                                                                                                   \
    }                                                                                                                  \
    RW_SECTION_PREFIX(section);
#define FREE(section, form, example, line)
#define ROWS_OF(section, structure, params, line) typedef structure RW_SECTION_PREFIX(section);
#define EACH_OF(section, structure, params, example, line) ROWS_OF(section, structure, params, line)
#include RW_SECTION_DEF
#undef SECTION
#undef ROW
#undef ROW_IF
#undef REQUIRED
#undef END
#undef FREE
#undef ROWS_OF
#undef EACH_OF
#undef RW_SECTION_PREFIX
#undef RW_SECTION_DEF
