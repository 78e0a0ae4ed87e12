// tier: full
import { siteLife } from '#tests/system/sites/life/site-life.ts'

siteLife({ name: 'container', suite: 'bookworm', init: 'none', php: '8.2' })
