// tier: full
import { describeStates } from '#tests/support/system/backup-faults/states-suite.ts'

describeStates('rest', 'a repository on a REST server')
