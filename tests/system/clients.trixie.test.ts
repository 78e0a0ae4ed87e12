// tier: gate
import { clientsOn } from '#tests/support/system/client-checks.ts'

clientsOn('trixie')
