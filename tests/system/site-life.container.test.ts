// tier: full
import { siteLife } from '#tests/support/system/life.ts'

siteLife({ name: 'container', suite: 'bookworm', init: 'none', php: '8.2' })
