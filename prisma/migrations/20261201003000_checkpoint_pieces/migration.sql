-- Large values of channels are stored in pieces: what a list keeps from one version to the next is stored once.

-- AlterTable
ALTER TABLE "checkpoint_blobs" ADD COLUMN     "bytes" INTEGER,
ADD COLUMN     "pieces" TEXT[] COLLATE "C";

-- CreateTable
CREATE TABLE "checkpoint_pieces" (
    "project_id" UUID NOT NULL,
    "thread_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "checkpoint_pieces_pkey" PRIMARY KEY ("project_id","thread_id","name")
);

-- AddForeignKey
ALTER TABLE "checkpoint_pieces" ADD CONSTRAINT "checkpoint_pieces_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("project_id") ON DELETE CASCADE ON UPDATE NO ACTION;

DO $$
BEGIN
	IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
		ALTER TABLE "checkpoint_pieces" ALTER COLUMN "data" SET COMPRESSION lz4;
	END IF;
END
$$;
