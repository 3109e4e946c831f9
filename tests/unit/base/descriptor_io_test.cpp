// Goal: texts are written whole and read up to a bound; a failure differs from the end of a file.
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

namespace reelsd {
namespace {

TEST(DescriptorIo, WritesTheWholeTextAndReadsUpToABound) {
    const unique_fd file{::memfd_create("test", MFD_CLOEXEC)};
    const std::string text(std::size_t{200} * 1024, 'a');
    ASSERT_EQ(write_all(file.get(), text), text.size());
    ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);

    EXPECT_EQ(read_at_most(file.get(), 1024), std::string(1024, 'a'));
    EXPECT_EQ(read_at_most(file.get(), text.size()), std::string(text.size() - 1024, 'a'));
    EXPECT_EQ(read_at_most(file.get(), 1024), "");
}

TEST(DescriptorIo, ReportsHowMuchAFailedWriteHasWritten) {
    const unique_fd file{::open("/dev/full", O_WRONLY | O_CLOEXEC)};
    ASSERT_TRUE(file);
    EXPECT_EQ(write_all(file.get(), "text"), 0U);
    EXPECT_EQ(errno, ENOSPC);
}

TEST(DescriptorIo, ReportsAReadThatFails) {
    const unique_fd folder{::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    ASSERT_TRUE(folder);
    EXPECT_FALSE(read_at_most(folder.get(), 1));
    EXPECT_EQ(errno, EISDIR);
}

}  // namespace
}  // namespace reelsd
