// tier: gate
import { countsNumbers } from '#tests/support/system/everyday/numbers.ts'

countsNumbers('trixie')
