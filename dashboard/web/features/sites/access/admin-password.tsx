import { KeyRound } from 'lucide-react'
import { resetAdminPassword, type Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { AccessRow } from './access-row.tsx'
import { Secret, useSecret } from './secret.tsx'

/** Also offered after the creation of a site. */
export function AdminPassword({ site }: { site: Site }) {
  const { shown, show: showSecret, hide } = useSecret(() => resetAdminPassword(site))
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const reset = async () => showSecret(await resetAdminPassword(site))
  return (
    <>
      {shown && (
        <div>
          <p className="mb-1 text-xs text-muted">
            Sign in as <code className="text-text">{shown.user}</code> with
          </p>
          <Secret what="the administrator's password" text={shown.password} onHide={hide} />
        </div>
      )}
      {!shown && (
        <AccessRow
          name="WordPress administrator"
          about="The password is not stored. Reset it to get a new one."
        >
          <Button needs="secrets" icon={<KeyRound />} disabled={isOffline} onClick={show}>
            Reset admin password
          </Button>
        </AccessRow>
      )}
      <Confirm
        {...dialog}
        title={`Reset the admin password of ${unicodeOf(site.domain)}?`}
        action="Reset password"
        onConfirm={reset}
      >
        The current password stops working, and the administrator is signed out everywhere. The new
        password is shown once, for half a minute.
      </Confirm>
    </>
  )
}
