// tier: full
import { describeStates } from '#tests/support/system/backup-faults/states-suite.ts'

describeStates('s3', 'a repository in a bucket of S3')
