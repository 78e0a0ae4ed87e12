import { Eye } from 'lucide-react'
import { useCallback, useState } from 'react'
import { readDatabasePassword, type Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/pages/sites/detail/access/access-row.tsx'
import { Secret } from '#dashboard/web/pages/sites/detail/access/secret.tsx'
import { useServerAway } from '#dashboard/web/pages/sites/detail/use-server-away.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'

/** Kept in the state of this component only: useQuery would cache it. */
export function DatabasePassword({ site }: { site: Site }) {
  const [shown, setShown] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isAway = useServerAway(site)
  const hide = useCallback(() => setShown(undefined), [])
  const show = async () => {
    setBusy(true)
    setError(undefined)
    try {
      setShown((await readDatabasePassword(site)).password)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  if (shown !== undefined) return <Secret what="the database password" text={shown} onHide={hide} />
  return (
    <>
      <AccessRow
        name="Database password"
        about="Read from the server. The activity log records that you saw it."
      >
        <Button icon={<Eye />} disabled={isAway} busy={isBusy} onClick={show}>
          Show database password
        </Button>
      </AccessRow>
      {error !== undefined && <Failure error={error} />}
    </>
  )
}
