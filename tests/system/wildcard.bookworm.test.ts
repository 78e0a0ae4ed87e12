// tier: full
import { issuesWildcard } from '#tests/support/system/everyday/wildcard.ts'

issuesWildcard('bookworm')
