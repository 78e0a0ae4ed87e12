// tier: core
import { siteLife } from '#tests/support/system/life.ts'

siteLife({ name: 'bookworm', suite: 'bookworm', init: 'systemd', php: '8.2', packaged: true })
