// tier: gate
import { scanned } from '#tests/support/system/scan.ts'

scanned('trixie')
