// tier: full, interrupts
import { describeFaults } from '#tests/system/backups/faults/suite.ts'

describeFaults('s3', 'a storage that is a bucket of S3')
