// tier: gate
import { mailOn } from '#tests/support/system/mail-checks.ts'

mailOn('bookworm')
