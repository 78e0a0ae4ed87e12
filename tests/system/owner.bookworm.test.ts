// tier: full
import { firstHour } from '#tests/support/system/owner/first-hour.ts'

firstHour('bookworm')
