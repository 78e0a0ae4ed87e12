// tier: full
import { databases } from '#tests/support/system/database.ts'

databases('bookworm')
