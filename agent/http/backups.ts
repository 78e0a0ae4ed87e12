import type { Download } from '#agent/os/backup/read/download.ts'
import {
  FindRequest,
  type FoundRepositories,
  KeeperRequest,
  type KeeperTexts,
  type ListedBackups,
  ListRequest,
} from '#shared/backup-find.ts'
import { type BrowsedBackup, BrowseRequest, DownloadRequest } from '#shared/backup-read.ts'
import { parse } from '#shared/parse.ts'
import { jsonOf } from './body.ts'
import { responseOf } from './bytes.ts'

interface Backups {
  browse(request: BrowseRequest): Promise<BrowsedBackup>
  findRepositories(request: FindRequest): Promise<FoundRepositories>
  listBackups(request: ListRequest): Promise<ListedBackups>
  readKeeper(request: KeeperRequest): Promise<KeeperTexts>
  download(request: DownloadRequest): Promise<Download>
}

/** The calls that read backups. A download has the passwords of its site, so it needs that permit. */
export function backupCalls(backups: Backups, policy: { permitPasswords(): Promise<void> }) {
  return {
    async browse(request: Request, body: Uint8Array): Promise<Response> {
      return Response.json(await backups.browse(parse(BrowseRequest, jsonOf(request, body))))
    },
    async find(request: Request, body: Uint8Array): Promise<Response> {
      return Response.json(
        await backups.findRepositories(parse(FindRequest, jsonOf(request, body))),
      )
    },
    async list(request: Request, body: Uint8Array): Promise<Response> {
      return Response.json(await backups.listBackups(parse(ListRequest, jsonOf(request, body))))
    },
    async keeper(request: Request, body: Uint8Array): Promise<Response> {
      return Response.json(await backups.readKeeper(parse(KeeperRequest, jsonOf(request, body))))
    },
    async download(request: Request, body: Uint8Array): Promise<Response> {
      const download = parse(DownloadRequest, jsonOf(request, body))
      await policy.permitPasswords()
      return responseOf(await backups.download(download))
    },
  }
}
