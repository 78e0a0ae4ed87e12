// tier: core
import { isolationOn } from '#tests/support/system/isolation-checks.ts'

isolationOn('trixie')
