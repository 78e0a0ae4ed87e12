import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { recordQuery, verifyRecord } from '#dashboard/web/api/activity.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'

/** Whether the record is complete, as it was verified last, and a button that verifies it again. */
export function RecordState() {
  const { data } = useQuery(recordQuery)
  const client = useQueryClient()
  const { run, isBusy } = useAction(verifyRecord, {
    onSuccess: (result) => client.setQueryData(recordQuery.queryKey, result),
  })
  const verify = (
    <Button icon={<ShieldCheck />} busy={isBusy} onClick={() => run()}>
      Verify record
    </Button>
  )
  if (!data) return null
  if (data.problem)
    return (
      <Notice kind="bad" title={`The record was changed: ${data.problem.message}`} actions={verify}>
        Somebody has changed the database without the dashboard, or it is an older copy. The record
        is not continued. Compare it with a backup of the dashboard, or with an earlier export.
      </Notice>
    )
  return (
    <Notice
      kind="info"
      title={`The record is complete: ${formatCount(data.entries, 'entry', 'entries')}`}
      actions={verify}
    >
      <p className="text-xs text-muted">
        Verified <Time at={data.verified_at} />
        {data.unsealed > 0 && `, and ${formatCount(data.unsealed, 'newer one', 'newer ones')}`}
      </p>
    </Notice>
  )
}
