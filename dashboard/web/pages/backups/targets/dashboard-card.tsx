import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { BACKUPS, backUpDashboard, dashboardBackupQuery } from '#dashboard/web/api/backups.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'

/** The records of the dashboard in the default target. */
export function DashboardCard() {
  const { data, error, refetch } = useQuery(dashboardBackupQuery)
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: backUpDashboard,
    onError: toastError,
    onSettled: () => void client.invalidateQueries({ queryKey: BACKUPS }),
  })
  const isBusy = isPending || Boolean(data?.requested_at)
  const now = data && (
    <Button busy={isBusy} disabled={data.obstacle !== null} onClick={() => mutate()}>
      Back up now
    </Button>
  )
  return (
    <Card title="Backup of this dashboard" actions={now}>
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <>
          <p className="text-muted">
            Its records with their secrets, encrypted to the recovery kit, in the default target
            {data.target !== null && ` ${data.target}`}: once a day.
          </p>
          {data.obstacle !== null && <p className="mt-2">Not made: {data.obstacle}.</p>}
          <p className="mt-2">
            Last saved: <Time at={data.saved_at} />
          </p>
          {data.error !== null && (
            <p className="mt-2 break-words">
              The last attempt failed (<Time at={data.tried_at} />
              ): {data.error}
            </p>
          )}
        </>
      )}
    </Card>
  )
}
