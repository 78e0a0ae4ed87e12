// tier: gate
import { renamesSite } from '#tests/support/system/everyday/rename.ts'

renamesSite('bookworm')
