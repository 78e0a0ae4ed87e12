// tier: core
import { siteLife } from '#tests/support/system/life.ts'

siteLife({ name: 'trixie', suite: 'trixie', init: 'systemd', php: '8.4', packaged: true })
