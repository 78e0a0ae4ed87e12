import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useSave } from './use-save.ts'

export function SiteShell({ value }: { value: boolean }) {
  const { save, isPending } = useSave('site_shell', 'Shells of sites')
  return (
    <CheckField
      label="Shells of sites"
      about="People with access to a site can be given a shell in its sandbox, in addition to SFTP. Turning this off does not remove existing shells."
      checked={value}
      disabled={isPending}
      onChange={save}
    />
  )
}
