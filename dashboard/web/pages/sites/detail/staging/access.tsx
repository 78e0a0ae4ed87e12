import { useMutation } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useCallback, useState } from 'react'
import { showStagingPassword } from '#dashboard/web/api/copies.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/pages/sites/detail/access/access-row.tsx'
import { Secret } from '#dashboard/web/pages/sites/detail/access/secret.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'

/** What visitors of a staging site sign in with; kept in the state of this component only. */
export function StagingAccess({ site }: { site: SitePlace }) {
  const [shown, setShown] = useState<{ user: string; password: string }>()
  const hide = useCallback(() => setShown(undefined), [])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => setShown(await showStagingPassword(site)),
  })
  if (shown)
    return (
      <div>
        <p className="mb-1 flex items-center gap-1 text-xs text-muted">
          The browser asks visitors to sign in. User <code className="text-text">{shown.user}</code>
          <Copy text={shown.user} what="the user name" />
        </p>
        <Secret what="the staging password" text={shown.password} onHide={hide} />
      </div>
    )
  return (
    <>
      <AccessRow
        name="Visitors need a password"
        about="Show it to people who should see the staging site. The activity log records that you saw it."
      >
        <Button icon={<Eye />} busy={isPending} onClick={() => mutate()}>
          Show password
        </Button>
      </AccessRow>
      {error && <Failure error={error} />}
    </>
  )
}
