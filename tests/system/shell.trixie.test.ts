// tier: gate
import { shellOn } from '#tests/support/system/shell-checks.ts'

shellOn('trixie')
