// tier: full
import { issuesByCloudflare } from '#tests/support/system/everyday/wildcard-cloudflare.ts'

issuesByCloudflare('bookworm')
