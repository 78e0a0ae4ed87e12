import { useMutation } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useCallback, useState } from 'react'
import { readDatabasePassword, type Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { Secret } from '#dashboard/web/features/sites/access/secret.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'

/** Kept in the state of this component only: the result of a query or a mutation would be cached. */
export function DatabasePassword({ site }: { site: Site }) {
  const [shown, setShown] = useState<string>()
  const isOffline = useServerOffline(site)
  const hide = useCallback(() => setShown(undefined), [])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => setShown((await readDatabasePassword(site)).password),
  })
  if (shown !== undefined) return <Secret what="the database password" text={shown} onHide={hide} />
  return (
    <>
      <AccessRow
        name="Database password"
        about="Read from the server. The activity log records that you saw it."
      >
        <Button icon={<Eye />} disabled={isOffline} busy={isPending} onClick={() => mutate()}>
          Show database password
        </Button>
      </AccessRow>
      {error && <Failure error={error} />}
    </>
  )
}
