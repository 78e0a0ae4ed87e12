// tier: gate
import { objectCacheOn } from '#tests/support/system/object-cache-checks.ts'

objectCacheOn('bookworm')
