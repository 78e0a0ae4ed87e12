// tier: full
import { describeStates } from '#tests/support/system/backup-faults/states-suite.ts'

describeStates('sftp', 'a repository in an SFTP account')
