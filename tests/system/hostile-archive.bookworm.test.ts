// tier: gate
import { hostileArchives } from '#tests/support/system/hostile-archive-checks.ts'

hostileArchives('bookworm')
