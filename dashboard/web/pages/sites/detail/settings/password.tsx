import { useMutation } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useCallback, useState } from 'react'
import { type Settings, showSitePassword } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { Secret } from '#dashboard/web/features/sites/access/secret.tsx'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface Props {
  site: Site
  password: Settings['basic_auth']
}

/** Whether visitors need a password (HTTP basic authentication). */
export function PasswordRow({ site, password }: Props) {
  const setting = useDialog()
  const removing = useDialog()
  return (
    <>
      <AccessRow
        name={password ? 'Visitors need a password' : 'The site is public'}
        about={
          password
            ? `The browser asks visitors to sign in as ${password.user}. The page cache is not used.`
            : 'A password keeps everybody else out, also search engines.'
        }
      >
        <div className="flex flex-wrap gap-2">
          <Button needs="operate" onClick={setting.show}>
            {password ? 'New password' : 'Require password'}
          </Button>
          {password && (
            <Button needs="operate" onClick={removing.show}>
              Make site public
            </Button>
          )}
        </div>
      </AccessRow>
      {password && <VisitorPassword site={site} />}
      {setting.dialog.open && <Require site={site} password={password} {...setting.dialog} />}
      <SettingsDialog
        {...removing.dialog}
        site={site}
        title={`Make ${unicodeOf(site.domain)} public?`}
        about="Visitors need no password any more."
        action="Make site public"
        input={{ basic_auth: null }}
      />
    </>
  )
}

function Require({ site, password, ...dialog }: Props & DialogState) {
  const [user, setUser] = useState(password?.user ?? 'visitor')
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={
        password
          ? `New password for ${unicodeOf(site.domain)}`
          : `Require a password at ${unicodeOf(site.domain)}`
      }
      about="A random password is generated, and shown on request. Services that call the site, such as Jetpack or payment providers, are refused too."
      action={password ? 'Set new password' : 'Require password'}
      input={{ basic_auth: { user } }}
    >
      <TextField
        name="user"
        label="User name"
        hint="Letters, digits, dot, underscore, @ and hyphen."
        value={user}
        onChange={setUser}
      />
    </SettingsDialog>
  )
}

/** Kept in the state of this component only. */
function VisitorPassword({ site }: { site: Site }) {
  const [shown, setShown] = useState<string>()
  const hide = useCallback(() => setShown(undefined), [])
  const { mutate, isPending } = useMutation({
    mutationFn: async () => setShown((await showSitePassword(site)).password),
    onError: toastError,
  })
  if (shown !== undefined)
    return <Secret what="the password of visitors" text={shown} onHide={hide} />
  return (
    <div>
      <Button needs="secrets" icon={<Eye />} busy={isPending} onClick={() => mutate()}>
        Show password
      </Button>
    </div>
  )
}
