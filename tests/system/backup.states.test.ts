// tier: full
import { describeStates } from '#tests/support/system/backup-faults/states-suite.ts'

describeStates('local', 'a repository')
