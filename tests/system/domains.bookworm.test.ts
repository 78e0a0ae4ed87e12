// tier: core
import { servesDomains } from '#tests/support/system/everyday/domains.ts'

servesDomains('bookworm')
