// tier: full
import { siteLife } from '#tests/system/site-life/site-life.ts'

siteLife({ name: 'container', suite: 'bookworm', init: 'none', php: '8.2' })
