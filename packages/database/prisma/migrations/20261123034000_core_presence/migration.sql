-- CreateTable
CREATE TABLE "core_presence" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "steady_since" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "core_presence_pkey" PRIMARY KEY ("id")
);
