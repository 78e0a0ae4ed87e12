import { Eye } from 'lucide-react'
import { changeStagingPassword, showStagingPassword } from '#dashboard/web/api/copies.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { Secret, useSecret } from '#dashboard/web/features/sites/access/secret.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'

interface ShownAccessProps {
  user: string
  password: string
  onHide: () => void
}

/** What visitors of a staging site sign in with; kept in the state of this component only. */
export function StagingAccess({ site }: { site: SitePlace }) {
  const secret = useSecret(() => showStagingPassword(site))
  const changing = useDialog()
  if (secret.shown) return <ShownAccess {...secret.shown} onHide={secret.hide} />
  return (
    <>
      <AccessRow
        name="Visitors need a password"
        about="Show it to people who should see the staging site. The activity log records that you saw it."
      >
        <div className="flex flex-wrap gap-2">
          <Button needs="secrets" icon={<Eye />} busy={secret.isBusy} onClick={secret.read}>
            Show password
          </Button>
          <Button needs="secrets" onClick={changing.show}>
            Change password…
          </Button>
        </div>
      </AccessRow>
      {secret.error && <Failure error={secret.error} />}
      <Confirm
        {...changing.dialog}
        title="Change the password of the staging site?"
        action="Change password"
        onConfirm={async () => secret.show(await changeStagingPassword(site))}
      >
        A new password is generated and shown. The former one no longer works: visitors who use it
        have to sign in again.
      </Confirm>
    </>
  )
}

function ShownAccess({ user, password, onHide }: ShownAccessProps) {
  return (
    <div>
      <p className="mb-1 flex items-center gap-1 text-xs text-muted">
        The browser asks visitors to sign in. User <code className="text-text">{user}</code>
        <Copy text={user} what="the user name" />
      </p>
      <Secret what="the staging password" text={password} onHide={onHide} />
    </div>
  )
}
