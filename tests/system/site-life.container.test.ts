// tier: full
import { siteLife } from './site-life/site-life.ts'

siteLife({ name: 'container', suite: 'bookworm', init: 'none', php: '8.2' })
