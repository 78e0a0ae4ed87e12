// tier: core
import { accessOn } from '#tests/support/system/access-checks.ts'

accessOn('trixie')
