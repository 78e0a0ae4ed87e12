// tier: gate
import { showsLogs } from '#tests/support/system/everyday/logs.ts'

showsLogs('bookworm')
