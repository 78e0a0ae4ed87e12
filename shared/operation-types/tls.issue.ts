import { tlsIssue } from '#shared/commands/tls.issue.ts'
import { TlsMode } from '#shared/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/operation-type.ts'

export const tlsIssueType = operationType({
  name: 'Change certificate',
  title: 'Change the certificate of',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: tlsIssue.params.pick({ tls: true }),
  outcome: completesWith(tlsIssue.result),
  bulk: {
    title: 'Change certificate of',
    params: bulkParams({ tls: TlsMode }),
    words: { tls: 'certificate' },
  },
})
